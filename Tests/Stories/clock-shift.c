/*
 * A clock that is wrong: preloaded into a daemon, it moves the time of day by CLOCK_SHIFT seconds
 * and leaves the clocks that only run alone.
 */

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long shift(void)
{
    const char *seconds = getenv("CLOCK_SHIFT");
    return seconds != NULL ? atol(seconds) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += shift();
    return result;
}

time_t time(time_t *place)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (place != NULL)
        *place = now.tv_sec;
    return now.tv_sec;
}

int gettimeofday(struct timeval *place, void *zone)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    place->tv_sec = now.tv_sec;
    place->tv_usec = now.tv_nsec / 1000;
    return 0;
}

// Sleep, wake-up and shutdown of the computer, as logind tells them (org.freedesktop.login1(5)).

#include "CFuse.h"

#include <errno.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

static const char service[] = "org.freedesktop.login1";
static const char path[] = "/org/freedesktop/login1";
static const char manager[] = "org.freedesktop.login1.Manager";

struct watch {
    sd_bus *bus;
    /// While it is open, sleep and shutdown are put off for a few seconds; -1 when it is not.
    int inhibitor;
    void (*receiver)(void *context, enum docfs_power power);
    void *context;
};

static void inhibit(struct watch *watch)
{
    sd_bus_message *reply = NULL;
    int fd;
    if (sd_bus_call_method(watch->bus, service, path, manager, "Inhibit", NULL, &reply, "ssss",
                           "sleep:shutdown", "DocFS",
                           "waiting reads are answered, and edits are sent", "delay") >= 0
        && sd_bus_message_read(reply, "h", &fd) >= 0)
        watch->inhibitor = dup(fd);
    sd_bus_message_unref(reply);
}

static void tell(struct watch *watch, sd_bus_message *message, enum docfs_power power)
{
    int begins;
    if (sd_bus_message_read(message, "b", &begins) < 0)
        return;
    if (begins)
        watch->receiver(watch->context, power);
    else if (power == docfs_power_sleeps)
        watch->receiver(watch->context, docfs_power_wakes);
    if (!begins) {
        if (watch->inhibitor < 0)
            inhibit(watch);
    } else if (watch->inhibitor >= 0) {
        close(watch->inhibitor);
        watch->inhibitor = -1;
    }
}

static int told_of_sleep(sd_bus_message *message, void *watch, sd_bus_error *error)
{
    (void)error;
    tell(watch, message, docfs_power_sleeps);
    return 0;
}

static int told_of_shutdown(sd_bus_message *message, void *watch, sd_bus_error *error)
{
    (void)error;
    tell(watch, message, docfs_power_shuts_down);
    return 0;
}

int docfs_watch_power(void (*receiver)(void *context, enum docfs_power power), void *context)
{
    struct watch watch = {.inhibitor = -1, .receiver = receiver, .context = context};
    int status = sd_bus_open_system(&watch.bus);
    if (status >= 0)
        status = sd_bus_match_signal(watch.bus, NULL, service, path, manager, "PrepareForSleep",
                                     told_of_sleep, &watch);
    if (status >= 0)
        status = sd_bus_match_signal(watch.bus, NULL, service, path, manager,
                                     "PrepareForShutdown", told_of_shutdown, &watch);
    if (status >= 0) {
        inhibit(&watch);
        while ((status = sd_bus_process(watch.bus, NULL)) >= 0) {
            if (status == 0 && (status = sd_bus_wait(watch.bus, UINT64_MAX)) < 0
                && status != -EINTR)
                break;
        }
    }
    if (watch.inhibitor >= 0)
        close(watch.inhibitor);
    sd_bus_unref(watch.bus);
    return status;
}

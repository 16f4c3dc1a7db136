// The loops whose own cost must not hide the filesystem's: one system call after another, no
// interpreter in between. Built and run by scripts/bench; prints the nanoseconds of the loop alone.
//
//     workload VERB PATH COUNT CLIENTS
//
// PATH is a file or a directory of COUNT items, as fixtures.py or the verb "create" lays them out,
// or what the verb says.
// CLIENTS processes share the work and start together; the time is from the start to the last end.

#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { page = 4096, chunk = 128 * 1024, per_directory = 100 };

static const char *verb, *path;
static long count, clients;
static char buffer[1 << 20];

static void fail(const char *what) {
    fprintf(stderr, "workload %s: %s: %s\n", verb, what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int checked_open(const char *name, int flags) {
    int fd = open(name, flags, 0644);
    if (fd < 0) fail(name);
    return fd;
}

static void check(long result, const char *name) {
    if (result < 0) fail(name);
}

// Trees have a hundred files in a directory; what the verbs below make lies in one directory.
static void tree_name(char *name, long i) {
    sprintf(name, "d%04ld/f%02ld", i / per_directory, i % per_directory);
}

// MARK: one operation on one of many

static void do_stat(long i) {
    char name[64];
    struct stat found;
    tree_name(name, i);
    check(stat(name, &found), name);
}

static void do_open(long i) {
    char name[64];
    tree_name(name, i);
    int fd = checked_open(name, O_RDONLY);
    if (read(fd, buffer, page) != page) fail(name);
    close(fd);
}

static void do_create(long i) {
    char name[64];
    sprintf(name, "f%ld", i);
    close(checked_open(name, O_WRONLY | O_CREAT | O_EXCL));
}

static void do_write(long i) {
    char name[64];
    sprintf(name, "f%ld", i);
    int fd = checked_open(name, O_WRONLY);
    if (write(fd, buffer, page) != page) fail(name);
    check(close(fd), name);
}

static void do_save(long i) {
    char name[64];
    sprintf(name, "f%ld", i);
    int fd = checked_open(name, O_WRONLY | O_CREAT | O_EXCL);
    if (write(fd, buffer, page) != page) fail(name);
    check(close(fd), name);
}

static void do_rename(long i) {
    char name[64], other[64];
    sprintf(name, "f%ld", i);
    sprintf(other, "g%ld", i);
    check(rename(name, other), name);
}

static void do_unlink(long i) {
    char name[64];
    sprintf(name, "g%ld", i);
    check(unlink(name), name);
}

static void do_mkdir(long i) {
    char name[64];
    sprintf(name, "m%ld", i);
    check(mkdir(name, 0755), name);
}

static void do_rmdir(long i) {
    char name[64];
    sprintf(name, "m%ld", i);
    check(rmdir(name), name);
}

static const struct { const char *verb; void (*one)(long); } items[] = {
    {"stat", do_stat}, {"open", do_open}, {"create", do_create}, {"write", do_write},
    {"save", do_save}, {"rename", do_rename}, {"unlink", do_unlink}, {"mkdir", do_mkdir},
    {"rmdir", do_rmdir},
};

// MARK: any names

static char **names;

// The first COUNT lines of PATH, each a path; before the time starts.
static void read_names(void) {
    FILE *file = fopen(path, "r");
    if (!file) fail(path);
    names = calloc(count, sizeof *names);
    for (long i = 0; i < count; i++) {
        size_t room = 0;
        ssize_t length = getline(&names[i], &room, file);
        if (length < 2) fail(path);
        names[i][length - 1] = 0;
    }
    fclose(file);
}

static void stat_names(void) {
    struct stat found;
    for (long i = 0; i < count; i++) check(stat(names[i], &found), names[i]);
}

// Until PATH, where a daemon has just been started to mount, can be listed; COUNT seconds at most.
static void first_listing(void) {
    for (long tries = 0; tries < count * 2000; tries++, usleep(500)) {
        DIR *directory = opendir(path);
        if (!directory) continue;
        while (readdir(directory)) {}
        closedir(directory);
        return;
    }
    errno = ETIMEDOUT, fail(path);
}

// MARK: one large file

static void read_file(void) {
    int fd = checked_open(path, O_RDONLY);
    ssize_t got;
    long total = 0;
    while ((got = read(fd, buffer, chunk)) > 0) total += got;
    if (got < 0 || total == 0) fail(path);
    close(fd);
}

static void first_byte(void) { // and a page with it, at COUNT MiB
    int fd = checked_open(path, O_RDONLY);
    if (pread(fd, buffer, page, (off_t)count << 20) != page) fail(path);
    close(fd);
}

static void write_file(void) { // COUNT MiB
    int fd = checked_open(path, O_WRONLY | O_CREAT | O_TRUNC);
    for (long i = 0; i < count; i++)
        for (int part = 0; part < 8; part++)
            if (write(fd, buffer + part * chunk, chunk) != chunk) fail(path);
    check(fsync(fd), path);
    check(close(fd), path);
}

// Every page at most once and in no order: multiplying by an odd number permutes a power of two.
static void random_pages(long client, int writing) {
    int fd = checked_open(path, writing ? O_WRONLY : O_RDONLY);
    struct stat found;
    check(fstat(fd, &found), path);
    uint64_t pages = 1;
    while (pages * 2 * page <= (uint64_t)found.st_size) pages *= 2;
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    for (long i = client; i < count; i += clients) {
        off_t at = (off_t)((uint64_t)i * 2654435761u % pages) * page;
        ssize_t done = writing ? pwrite(fd, buffer, page, at) : pread(fd, buffer, page, at);
        if (done != page) fail(path);
    }
    check(close(fd), path);
}

static void touch_mapping(void) {
    int fd = checked_open(path, O_RDONLY);
    struct stat found;
    check(fstat(fd, &found), path);
    char *bytes = mmap(NULL, found.st_size, PROT_READ, MAP_SHARED, fd, 0);
    if (bytes == MAP_FAILED) fail(path);
    volatile char sum = 0;
    for (off_t at = 0; at < found.st_size; at += page) sum += bytes[at];
    munmap(bytes, found.st_size);
    close(fd);
}

// MARK: clients

static void work(long client) {
    for (size_t k = 0; k < sizeof items / sizeof *items; k++) {
        if (strcmp(verb, items[k].verb)) continue;
        if (chdir(path)) fail(path);
        for (long i = count * client / clients; i < count * (client + 1) / clients; i++)
            items[k].one(i);
        return;
    }
    if (!strcmp(verb, "read-file")) read_file();
    else if (!strcmp(verb, "first-byte")) first_byte();
    else if (!strcmp(verb, "write-file")) write_file();
    else if (!strcmp(verb, "random-read")) random_pages(client, 0);
    else if (!strcmp(verb, "random-write")) random_pages(client, 1);
    else if (!strcmp(verb, "mmap")) touch_mapping();
    else if (!strcmp(verb, "stat-list")) stat_names();
    else if (!strcmp(verb, "first-ls")) first_listing();
    else errno = EINVAL, fail(path);
}

int main(int argc, char **argv) {
    if (argc != 5) return fprintf(stderr, "usage: workload VERB PATH COUNT CLIENTS\n"), 2;
    verb = argv[1], path = argv[2], count = atol(argv[3]), clients = atol(argv[4]);
    for (size_t i = 0; i < sizeof buffer; i++) buffer[i] = (char)(i * 31 + i / 251);
    if (!strcmp(verb, "stat-list")) read_names();
    int gate[2];
    if (pipe(gate)) fail("pipe");
    for (long client = 0; client < clients; client++) {
        pid_t child = fork();
        if (child < 0) fail("fork");
        if (child) continue;
        char go;
        close(gate[1]);
        if (read(gate[0], &go, 1) < 0) fail("gate");
        work(client);
        _exit(0);
    }
    usleep(2000 * clients); // until all of them wait at the gate
    int64_t begun = now();
    close(gate[1]);
    int failed = 0, status;
    while (wait(&status) > 0) failed |= status != 0;
    printf("%lld\n", (long long)(now() - begun));
    return failed;
}

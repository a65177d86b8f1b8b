// Copyright The gym-otelcol Authors
// SPDX-License-Identifier: Apache-2.0

// A stand-in for pyxis: a SPANK plugin with the options of pyxis that the job script uses. An
// image is a directory with a root file system. What enroot does to a task, this does: namespaces
// of its own for mounts (and for an ordinary user's uid), the image as a read-only root, the node's
// /proc, /sys, /dev, host names and network, a fresh /tmp, the variables of the image's /etc/environment, and
// nothing of the node's files but what is mounted.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <slurm/spank.h>

SPANK_PLUGIN(pyxis, 1)

enum { IMAGE, MOUNTS, WORKDIR, HOME };

static char *image, *mounts, *workdir;

static int keep(int option, const char *value, int remote)
{
    (void)remote;
    char **place = option == IMAGE ? &image : option == MOUNTS ? &mounts : option == WORKDIR ? &workdir : NULL;
    if (place)
        *place = strdup(value);
    return 0;
}

struct spank_option spank_options[] = {
    {"container-image", "[USER@][REGISTRY#]IMAGE[:TAG]|PATH", "here: a directory with a root file system", 1, IMAGE, keep},
    {"container-mounts", "SRC:DST[:FLAGS][,SRC:DST...]", "bind mounts inside the container", 1, MOUNTS, keep},
    {"container-workdir", "PATH", "working directory inside the container", 1, WORKDIR, keep},
    {"no-container-mount-home", NULL, "do not bind mount the user's home directory", 0, HOME, keep},
    SPANK_OPTIONS_TABLE_END};

#define TRY(call)                                                                                                      \
    if ((call) < 0) {                                                                                                  \
        slurm_error("pyxis: %s: %s", #call, strerror(errno));                                                          \
        return -1;                                                                                                     \
    }

static int write_file(const char *path, const char *text)
{
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return -1;
    ssize_t written = write(file, text, strlen(text));
    close(file);
    return written < 0 ? -1 : 0;
}

// An ordinary user may mount in a user namespace alone, in which it stays itself.
static int unshare_user(uid_t uid, gid_t gid)
{
    char map[64];
    TRY(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)); // or /proc/self is root's, after the change of users
    TRY(unshare(CLONE_NEWUSER));
    TRY(write_file("/proc/self/setgroups", "deny"));
    snprintf(map, sizeof map, "%u %u 1", uid, uid);
    TRY(write_file("/proc/self/uid_map", map));
    snprintf(map, sizeof map, "%u %u 1", gid, gid);
    TRY(write_file("/proc/self/gid_map", map));
    return 0;
}

// make_target creates path, a directory or an empty file like source, with all directories above it.
static int make_target(char *path, const char *source)
{
    struct stat like;
    TRY(stat(source, &like));
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    if (S_ISDIR(like.st_mode)) {
        mkdir(path, 0755);
        return 0;
    }
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (file >= 0)
        close(file);
    return 0;
}

static int bind_mount(const char *root, const char *source, const char *target)
{
    char path[8192];
    snprintf(path, sizeof path, "%s%s", root, target);
    if (make_target(path, source) < 0)
        return -1;
    TRY(mount(source, path, NULL, MS_BIND | MS_REC, NULL));
    return 0;
}

static int bind_all(const char *root, char *list)
{
    char *rest;
    for (char *one = strtok_r(list, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
        char *target = strchr(one, ':');
        if (target)
            *target++ = '\0';
        else
            target = one;
        char *flags = strchr(target, ':');
        if (flags)
            *flags = '\0';
        if (bind_mount(root, one, target) < 0)
            return -1;
    }
    return 0;
}

// take_environment sets the variables that the image brings along.
static void take_environment(spank_t job, const char *root)
{
    char path[8192], line[8192];
    snprintf(path, sizeof path, "%s/etc/environment", root);
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        char *value = strchr(line, '=');
        if (value) {
            *value++ = '\0';
            spank_setenv(job, line, value, 1);
        }
    }
    fclose(file);
}

int slurm_spank_task_init(spank_t job, int argc, char **argv)
{
    (void)argc, (void)argv;
    if (!spank_remote(job) || !image)
        return 0;
    char path[8192];
    snprintf(path, sizeof path, "%s/bin/sh", image);
    if (access(path, F_OK) < 0) {
        slurm_error("pyxis: enroot-switchroot: failed to execute: /bin/sh: No such file or directory");
        return -1;
    }
    take_environment(job, image);
    uid_t uid = geteuid();
    gid_t gid = getegid();
    if (uid != 0 && unshare_user(uid, gid) < 0)
        return -1;
    TRY(unshare(CLONE_NEWNS));
    TRY(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
    TRY(mount(image, image, NULL, MS_BIND, NULL));
    const char *of_the_node[] = {"/proc", "/sys", "/dev", "/etc/hosts", "/etc/resolv.conf"};
    for (size_t i = 0; i < sizeof of_the_node / sizeof *of_the_node; i++)
        if (bind_mount(image, of_the_node[i], of_the_node[i]) < 0)
            return -1;
    snprintf(path, sizeof path, "%s/tmp", image);
    mkdir(path, 01777);
    TRY(mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV, "mode=1777"));
    if (mounts && bind_all(image, mounts) < 0)
        return -1;
    TRY(mount(NULL, image, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
    TRY(chroot(image));
    TRY(chdir(workdir ? workdir : "/"));
    return 0;
}

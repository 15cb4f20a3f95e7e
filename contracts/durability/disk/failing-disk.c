#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

/* Loaded before libc: operations on files below ARGOSY_FAILING_FOLDER fail as the file ARGOSY_FAILING_PLAN says: an
   operation and an error number, such as `write 5`. Without that file everything works. */

static int plan(const char *operation) {
  const char *path = getenv("ARGOSY_FAILING_PLAN");
  FILE *file = path ? fopen(path, "r") : NULL;
  char name[32] = "";
  int number = 0;
  if (!file) return 0;
  if (fscanf(file, "%31s %d", name, &number) != 2) number = 0;
  fclose(file);
  return strcmp(name, operation) == 0 || strcmp(name, "all") == 0 ? number : 0;
}

static int below(const char *path) {
  const char *folder = getenv("ARGOSY_FAILING_FOLDER");
  return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int ours(int fd) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return below(path);
}

#define FAIL_IF(condition, operation)                                                                                  \
  do {                                                                                                                 \
    int number = (condition) ? plan(operation) : 0;                                                                    \
    if (number) {                                                                                                      \
      errno = number;                                                                                                  \
      return -1;                                                                                                       \
    }                                                                                                                  \
  } while (0)
#define REAL(name, type) ((type)dlsym(RTLD_NEXT, name))

ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
  FAIL_IF(ours(fd), "write");
  return REAL("pwrite64", ssize_t(*)(int, const void *, size_t, off64_t))(fd, bytes, size, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
  FAIL_IF(ours(fd), "write");
  return REAL("pwrite", ssize_t(*)(int, const void *, size_t, off_t))(fd, bytes, size, at);
}

ssize_t write(int fd, const void *bytes, size_t size) {
  FAIL_IF(ours(fd), "write");
  return REAL("write", ssize_t(*)(int, const void *, size_t))(fd, bytes, size);
}

int fsync(int fd) {
  FAIL_IF(ours(fd), "fsync");
  return REAL("fsync", int (*)(int))(fd);
}

int fdatasync(int fd) {
  FAIL_IF(ours(fd), "fsync");
  return REAL("fdatasync", int (*)(int))(fd);
}

int ftruncate64(int fd, off64_t length) {
  FAIL_IF(ours(fd), "truncate");
  return REAL("ftruncate64", int (*)(int, off64_t))(fd, length);
}

int ftruncate(int fd, off_t length) {
  FAIL_IF(ours(fd), "truncate");
  return REAL("ftruncate", int (*)(int, off_t))(fd, length);
}

int rename(const char *from, const char *to) {
  FAIL_IF(below(to), "rename");
  return REAL("rename", int (*)(const char *, const char *))(from, to);
}

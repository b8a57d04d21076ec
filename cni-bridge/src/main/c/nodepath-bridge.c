/*
 * The CNI plugin as a container runtime execs it: hands the call to the CNI server of the node, and where there is none
 * that answers, becomes the same plugin in a JVM of its own ("nodepath-bridge-jvm", which is beside this program).
 *
 * The server speaks first, when it has room for a call. So a client that gives up waiting has sent nothing, and no call
 * is begun whose client has turned away. dev.nodepath.cni.server.CallMessages describes the messages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { VERSION = 2, HELLO_WAIT_S = 5, REPLY_WAIT_S = 20, STDIN_BYTES_MAX = (1 << 20) + 1, REPLY_BYTES_MAX = 1 << 20 };

static char input[STDIN_BYTES_MAX], environment[1 << 17], reply[REPLY_BYTES_MAX];
static ssize_t input_length = -1; /* not read yet */

struct hello { uint32_t version; uint64_t device, inode; } __attribute__((packed));
struct request { uint32_t version, environment_length; uint64_t root_device, root_inode; };

static void set_timeout(int fd, int seconds) {
    struct timeval timeout = {.tv_sec = seconds};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout); /* bounds connect() too */
}

/* A connection to a server that is ready, speaks our version and works in our network namespace, or -1. */
static int greeted(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct hello hello;
    struct stat own;
    const char *path = getenv("NODEPATH_CNI_SOCKET") ? getenv("NODEPATH_CNI_SOCKET") : "/run/nodepath/cni.sock";
    if (strlen(path) >= sizeof address.sun_path) return -1;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    set_timeout(fd, HELLO_WAIT_S);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
    if (recv(fd, &hello, sizeof hello, 0) != sizeof hello || hello.version != VERSION) return -1;
    if (stat("/proc/self/ns/net", &own) < 0 || own.st_dev != hello.device || own.st_ino != hello.inode) return -1;
    set_timeout(fd, REPLY_WAIT_S);
    return fd;
}

/* VERSION, and a call by hand without a command, do not read the input, which may be a terminal. */
static void read_input(void) {
    const char *command = getenv("CNI_COMMAND");
    input_length = 0;
    if (command == NULL || *command == '\0' || strcmp(command, "VERSION") == 0) return;
    while (input_length < STDIN_BYTES_MAX) {
        ssize_t got = read(STDIN_FILENO, input + input_length, STDIN_BYTES_MAX - input_length);
        if (got == 0 || (got < 0 && errno != EINTR)) return;
        if (got > 0) input_length += got;
    }
}

/* The length of the CNI_* variables behind each other, or -1 if they are too long. */
static ssize_t collect_environment(void) {
    size_t length = 0;
    for (char **variable = environ; *variable != NULL; variable++) {
        size_t size = strlen(*variable) + 1;
        if (strncmp(*variable, "CNI_", 4) != 0) continue;
        if (length + size > sizeof environment) return -1;
        memcpy(environment + length, *variable, size);
        length += size;
    }
    return (ssize_t)length;
}

static int send_request(int fd) {
    ssize_t environment_length = collect_environment();
    const char *netns = getenv("CNI_NETNS");
    int opened = -1;
    struct stat root;
    if (environment_length < 0 || stat("/", &root) < 0) return -1;
    struct request request = {VERSION, (uint32_t)environment_length, root.st_dev, root.st_ino};
    if (netns != NULL && *netns != '\0') {
        opened = open(netns, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        if (opened < 0 && errno != ENOENT && errno != ENOTDIR) return -1; /* else: there is none any more */
    }
    struct iovec parts[] = {{&request, sizeof request}, {environment, (size_t)environment_length}, {input, (size_t)input_length}};
    union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control = {0};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    if (opened >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &opened, sizeof opened);
    }
    ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
    if (opened >= 0) close(opened);
    return sent < 0 ? -1 : 0;
}

/* 0, or -1 if not all of it could be written. */
static int print(int fd, const char *text, size_t length) {
    while (length > 0) {
        ssize_t written = write(fd, text, length);
        if (written < 0 && errno != EINTR) return -1;
        if (written > 0) text += written, length -= (size_t)written;
    }
    return 0;
}

/* Ends the process with the server's answer; returns if there is none. What the runtime does not get is a failure. */
static void answer(int fd) {
    uint32_t head[2];
    ssize_t length = recv(fd, reply, sizeof reply, MSG_TRUNC);
    if (length < (ssize_t)sizeof head || length > REPLY_BYTES_MAX) return;
    memcpy(head, reply, sizeof head);
    if (head[1] > (size_t)length - sizeof head) return;
    signal(SIGPIPE, SIG_IGN);
    if (print(STDOUT_FILENO, reply + sizeof head, head[1]) < 0) {
        perror("nodepath-bridge: standard output");
        exit(1);
    }
    print(STDERR_FILENO, reply + sizeof head + head[1], (size_t)length - sizeof head - head[1]);
    exit((int)head[0]);
}

static void become_jvm(char **arguments) {
    static char path[4096];
    if (getcwd(path, sizeof path) == NULL && chdir("/") < 0) return; /* Java does not start in a folder that is gone */
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - sizeof "-jvm");
    char *deleted = length > 10 ? path + length - 10 : path; /* what the kernel adds once this program was replaced */
    if (strcmp(deleted, " (deleted)") == 0) *deleted = '\0';
    if (input_length >= 0) { /* it is to read what was read here */
        int copy = memfd_create("stdin", 0);
        print(copy, input, (size_t)input_length);
        lseek(copy, 0, SEEK_SET);
        dup2(copy, STDIN_FILENO);
    }
    if (length > 0) execv(strcat(path, "-jvm"), arguments);
    printf("{\"cniVersion\":\"1.1.0\",\"code\":999,\"msg\":\"nodepath-bridge: no CNI server answers, and nodepath-bridge-jvm beside "
           "this program cannot be run: %s\"}\n", strerror(errno));
}

/* A standard stream that is closed would be the next file that is opened, such as the socket. */
static void open_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) < 0) _exit(1);
}

int main(int count __attribute__((unused)), char **arguments) {
    open_standard_streams();
    int fd = greeted();
    if (fd >= 0) {
        read_input();
        if (send_request(fd) == 0) answer(fd);
        close(fd); /* the server sees it and does not begin what it has not begun */
    }
    become_jvm(arguments);
    return 1;
}

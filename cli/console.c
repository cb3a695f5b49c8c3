/* console.c - the command's output: one-line messages, JSON, and a check that everything was written.
 * Control characters are always escaped for the terminal: file names and labels are untrusted text. */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

const char *cli_plain(char out[CLI_TEXT_CHARS], const char *text) {
    size_t used = 0;
    for (const char *at = text; *at && used + 5 < CLI_TEXT_CHARS; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c >= 0x20 && c != 0x7f)
            out[used++] = *at;
        else if (c == '\n' || c == '\t' || c == '\r')
            used += (size_t)sprintf(out + used, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
        else
            used += (size_t)sprintf(out + used, "\\x%02x", c);
    }
    out[used] = '\0';
    return out;
}

int cli_fail(const char *name, const spdhg_error *err) {
    char plain[CLI_TEXT_CHARS];
    fprintf(stderr, "%s: %s\n", name, cli_plain(plain, err->message));
    return (int)err->status;
}

void cli_usage(const struct argp_state *state, const char *format, ...) {
    spdhg_error err = {.status = SPDHG_USAGE};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err.message, sizeof err.message, format, arguments);
    va_end(arguments);
    exit(cli_fail(state->name, &err));
}

void cli_out_of_memory(void) {
    static const char said[] = "spdhg: out of memory\n";
    (void)!write(STDERR_FILENO, said, sizeof said - 1); /* what allocates nothing */
    exit(SPDHG_MEMORY);
}

void *cli_json_memory(size_t size) {
    void *block = malloc(size);
    if (!block) cli_out_of_memory();
    return block;
}

/* Whether standard output is a pipe whose reader has closed it, as poll tells. */
static bool cli_pipe_closed(void) {
    struct pollfd end = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&end, 1, 0) > 0 && (end.revents & POLLERR);
}

int cli_finish(int status) {
    errno = 0;
    const bool flushed = fflush(stdout) == 0;
    if (flushed && !ferror(stdout)) return status;
    const bool unwanted = errno == EPIPE || (errno == 0 && cli_pipe_closed()); /* as head does: it has what it wanted */
    if (!unwanted)
        fprintf(stderr, "spdhg: standard output: cannot write: %s\n", errno ? strerror(errno) : "an earlier write failed");
    __fpurge(stdout); /* reported once: the flush at exit must not report it again */
    clearerr(stdout);
    if (unwanted) return status;
    return status == 0 || status == spdhg_outcome_exit_status(SPDHG_OUTCOME_LIMIT) ? SPDHG_IO : status;
}

const char *cli_bytes_text(char out[SPD_NUMBER_CHARS], double bytes) {
    static const char *const unit[] = {"bytes", "kB", "MB", "GB", "TB"};
    int u = 0;
    for (; bytes >= 999.5 && u < 4; u++) bytes /= 1000;
    snprintf(out, SPD_NUMBER_CHARS, "%.3g %s", bytes, unit[u]);
    return out;
}

json_t *cli_json_number(double value) { return isfinite(value) ? json_real(value) : json_null(); }

json_t *cli_json_text(const char *text) {
    json_t *string = json_string(text);
    if (string) return string;
    char ascii[CLI_TEXT_CHARS];
    snprintf(ascii, sizeof ascii, "%s", text);
    for (char *at = ascii; *at; at++)
        if ((unsigned char)*at >= 0x80) *at = '?';
    return json_string(ascii);
}

spdhg_status cli_json_print(json_t *object, spdhg_error *err) {
    if (!object) return spd_fail_memory(err, 1000);
    const int failed = json_dumpf(object, stdout, JSON_INDENT(2));
    json_decref(object);
    putchar('\n');
    return failed && !ferror(stdout) ? spd_fail_memory(err, 1000) : SPDHG_OK; /* cli_finish reports a failed write */
}

spdhg_status cli_can_write(const char *path, spdhg_error *err) {
    if (!path || strcmp(path, "-") == 0) return SPDHG_OK;
    struct stat info;
    errno = 0;
    if (stat(path, &info) == 0 &&
        !S_ISREG(info.st_mode)) { /* opening a pipe and closing it again would be noticed at its other end */
        if (S_ISDIR(info.st_mode)) errno = EISDIR;
        return errno || access(path, W_OK) != 0 ? spd_fail_io(err, path, "write") : SPDHG_OK;
    }
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    spd_file_abort(&file);
    return SPDHG_OK;
}

static size_t quote(char *out, const char *word) {
    if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-%@") == strlen(word))
        return (size_t)sprintf(out, "%s", word);
    char *at = out;
    *at++ = '\'';
    for (; *word; word++) {
        if (*word == '\'')
            at += sprintf(at, "'\\''");
        else
            *at++ = *word;
    }
    *at++ = '\'';
    *at = '\0';
    return (size_t)(at - out);
}

char *cli_command_line(int argc, char **argv) {
    int64_t size = 1;
    for (int i = 0; i < argc; i++) size += (int64_t)strlen(argv[i]) * 4 + 3;
    char *line = spd_alloc(size, 1), *at = line;
    if (!line) cli_out_of_memory();
    at += sprintf(at, "%s", argv[0]); /* "spdhg VERB": two words, not quoted */
    for (int i = 1; i < argc; i++) {
        *at++ = ' ';
        at += quote(at, argv[i]);
    }
    return line;
}

/* A process without a JVM that loads the agent and calls what a JVM calls first. Built for glibc and for musl. With
 * SPL_AGENT_PANIC=Agent_OnLoad, or Agent_OnAttach, a library with debug assertions panics there.
 * Usage: host LIBRARY. Prints the answer of each call. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef int entry(void *vm, char *options, void *reserved);

/* Of each function of a JavaVM: an error (JNI_EVERSION). */
static int refuse(void) { return -3; }

static int call(void *library, const char *name, void *vm) {
    entry *function = (entry *)dlsym(library, name);
    char options[] = "spl.client.socket=/nonexistent/spl";
    if (!function) {
        printf("%s is missing\n", name);
        exit(1);
    }
    int answer = function(vm, options, 0);
    printf("%s %d\n", name, answer);
    fflush(stdout);
    return answer;
}

int main(int count, char **arguments) {
    void *functions[8];
    void *table = functions;
    for (int at = 0; at < 8; at++) functions[at] = (void *)refuse;
    void *library = count == 2 ? dlopen(arguments[1], RTLD_NOW) : 0;
    if (!library) {
        printf("not loaded: %s\n", count == 2 ? dlerror() : "name a library");
        return 1;
    }
    call(library, "Agent_OnLoad", &table);
    call(library, "Agent_OnAttach", &table);
    puts("alive");
    return 0;
}

/* pools.cpp: a C++ program that keeps nothing, and others that go deep, or take memory from the system. Built by report_test.py. */
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

static void *volatile sink;

__attribute__((noinline)) static int deep(int n) {
    if (n == 0) {
        for (int i = 0; i < 50; i++) {
            sink = malloc(100);
            free(sink);
        }
        return 0;
    }
    int below = deep(n - 1) + 1;
    __asm__ volatile("" : "+r"(below));
    return below;
}

int main(int n_arguments, char **arguments) {
    int n = atoi(arguments[1]);
    size_t mapped = (size_t)atoi(arguments[2]) << 20;
    if (mapped) {
        void *where = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memset(where, 1, mapped);
    }
    if (n_arguments > 3) {
        char end;
        if (write(1, "ready\n", 6) == 6 && read(0, &end, 1) < 0)
            return 2;
    }
    sink = new char[10];
    delete[] static_cast<char *>(sink);
    return deep(n) != n;
}

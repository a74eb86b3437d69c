// SPDX-License-Identifier: MIT
//
// plugin.cpp: a library to be loaded; -DSIZE=N says how much it allocates, -DPADDING=N moves its code.
#include <new>

extern "C" int plugin_padding(int x);
int plugin_padding(int x) {
    volatile int y = x;
    for (int i = 0; i < PADDING; i++)
        y = y * 3 + i;
    return y;
}

extern "C" void *plugin_allocate();
void *plugin_allocate() {
    volatile char room[PADDING];
    room[0] = 1;
    void *p = ::operator new(SIZE);
    room[PADDING - 1] = room[0];
    return p;
}

extern "C" void plugin_free(void *p);
void plugin_free(void *p) {
    ::operator delete(p);
}

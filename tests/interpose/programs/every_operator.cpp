// SPDX-License-Identifier: MIT
//
// every_operator.cpp: each form of operator new and delete, failing ones, and an exception that passes through a
// recorded function.
#include <cstdlib>
#include <new>

#include "truth.h"

namespace {

struct alignas(256) Wide {
    char bytes[300];
};

void expect(bool holds) {
    if (!holds)
        std::abort();
}

void plain_forms() {
    void *p = truth_alloc("new", ::operator new(10), 10);
    ::operator delete(truth_free("delete", p));
    p = truth_alloc("new", ::operator new(0), 0);
    ::operator delete(truth_free("delete", p));
    p = truth_alloc("new[]", ::operator new[](20), 20);
    ::operator delete[](truth_free("delete[]", p));
    p = truth_alloc("new", ::operator new(30, std::nothrow), 30);
    ::operator delete(truth_free("delete", p), std::nothrow);
    p = truth_alloc("new[]", ::operator new[](40, std::nothrow), 40);
    ::operator delete[](truth_free("delete[]", p), std::nothrow);
    p = truth_alloc("new", ::operator new(50), 50);
    ::operator delete(truth_free("delete_sized", p), std::size_t(50));
    p = truth_alloc("new[]", ::operator new[](60), 60);
    ::operator delete[](truth_free("delete[]_sized", p), std::size_t(60));
    ::operator delete(nullptr);
    ::operator delete[](nullptr);
}

void aligned_forms() {
    const std::align_val_t wide{ 512 };
    void *p = truth_alloc("new", ::operator new(70, wide), 70);
    ::operator delete(truth_free("delete", p), wide);
    p = truth_alloc("new[]", ::operator new[](80, wide), 80);
    ::operator delete[](truth_free("delete[]", p), wide);
    p = truth_alloc("new", ::operator new(90, wide, std::nothrow), 90);
    ::operator delete(truth_free("delete", p), wide, std::nothrow);
    p = truth_alloc("new[]", ::operator new[](100, wide, std::nothrow), 100);
    ::operator delete[](truth_free("delete[]", p), wide, std::nothrow);
    p = truth_alloc("new", ::operator new(110, wide), 110);
    ::operator delete(truth_free("delete_sized", p), std::size_t(110), wide);
    p = truth_alloc("new[]", ::operator new[](120, wide), 120);
    ::operator delete[](truth_free("delete[]_sized", p), std::size_t(120), wide);
    Wide *object = new Wide;
    truth_alloc("new", object, sizeof *object);
    truth_free("delete_sized", object);
    delete object;
}

volatile std::size_t huge = std::size_t(1) << 62;
void *reserve;
int asked;

void give_reserve_back() {
    asked++;
    if (!reserve)
        throw std::bad_alloc();
    std::free(truth_free("free", reserve));
    reserve = nullptr;
}

void failing_forms() {
    int caught = 0;
    try {
        (void)::operator new(huge);
    } catch (const std::bad_alloc &) {
        caught++;
    }
    expect(caught == 1);
    expect(!::operator new[](huge, std::nothrow));
    reserve = truth_alloc("malloc", std::malloc(500), 500);
    std::set_new_handler(give_reserve_back);
    try {
        (void)::operator new[](huge);
    } catch (const std::bad_alloc &) {
        caught++;
    }
    std::set_new_handler(nullptr);
    expect(caught == 2 && asked == 2);
    // What a failure leaves behind is nobody else's.
    void *p = truth_alloc("malloc", std::malloc(130), 130);
    std::free(truth_free("free", p));
    p = truth_alloc("new", ::operator new(140), 140);
    ::operator delete(truth_free("delete", p));
}

} // namespace

// With an argument: the allocator is not the C library's, and some abort where others throw.
int main(int argc, char **) {
    truth_begin();
    plain_forms();
    aligned_forms();
    if (argc == 1)
        failing_forms();
    truth_end();
    return 0;
}

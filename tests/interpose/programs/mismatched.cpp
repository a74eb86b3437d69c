// SPDX-License-Identifier: MIT
//
// mismatched.cpp: frees what it allocated with the function of another family, or with a wrong size.
#include <new>

#include "truth.h"

int main() {
    truth_begin();
    ::operator delete(truth_free("delete", truth_alloc("malloc", std::malloc(11), 11)));
    std::free(truth_free("free", truth_alloc("new", ::operator new(12), 12)));
    ::operator delete(truth_free("delete", truth_alloc("new[]", ::operator new[](13), 13)));
    ::operator delete(truth_free("delete_sized", truth_alloc("new", ::operator new(14), 14)), std::size_t(24));
    ::operator delete(truth_free("delete_sized", truth_alloc("new", ::operator new(15), 15)), std::size_t(15));
    truth_end();
    return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * nothing.c: does nothing, and does it well.
 */
int main(void) {
    return 0;
}

# The three ways to the same text.
ubiheap --help > option && ubiheap help > command && ubiheap -h > letter && cmp option command && cmp option letter

ubiheap census --help > option && ubiheap help census > command && cmp option command

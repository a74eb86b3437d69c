ubiheap --help census > behind && ubiheap help census > command && cmp behind command

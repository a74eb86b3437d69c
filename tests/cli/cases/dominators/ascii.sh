LC_ALL=C ubiheap dominators --depth 3 --percent 5 tiny-before.fxsnapshot

LC_ALL=C ubiheap diff -n 2 tiny-before.fxsnapshot tiny-after.fxsnapshot

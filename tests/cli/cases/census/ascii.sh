LC_ALL=C ubiheap census -n 3 tiny-before.fxsnapshot

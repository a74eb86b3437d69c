LC_ALL=C ubiheap report unreachable.fxsnapshot

LC_ALL=C ubiheap treemap --format text tiny-before.fxsnapshot

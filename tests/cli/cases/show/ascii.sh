LC_ALL=C ubiheap show --limit 2 tiny-before.fxsnapshot 1810879808088

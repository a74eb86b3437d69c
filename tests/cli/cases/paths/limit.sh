ubiheap paths --limit 6 --max-paths 1 tiny-before.fxsnapshot 1810879855944

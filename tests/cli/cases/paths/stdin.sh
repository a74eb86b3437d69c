ubiheap paths --max-paths 1 - 1810879579408 <tiny-before.fxsnapshot

ubiheap paths --from 1810879579408 --max-paths 9 tiny-before.fxsnapshot 1810879460464

ubiheap paths tiny-before.fxsnapshot 140733032943400

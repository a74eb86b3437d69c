COLUMNS=140 ubiheap paths tiny-before.fxsnapshot 45135006097600

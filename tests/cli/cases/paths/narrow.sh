COLUMNS=50 ubiheap paths tiny-before.fxsnapshot 45135006097600

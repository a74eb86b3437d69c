ubiheap paths --from 1810879242288 tiny-before.fxsnapshot 45135006097600

LC_ALL=C ubiheap paths --max-paths 1 tiny-before.fxsnapshot 45135006097600

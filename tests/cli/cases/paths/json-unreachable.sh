ubiheap paths --json unreachable.fxsnapshot 62041634150816

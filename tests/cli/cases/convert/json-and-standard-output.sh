ubiheap convert --json tiny-before.fxsnapshot -

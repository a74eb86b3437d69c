cat tiny-before.fxsnapshot | ubiheap info --json - | sed "s/,\"memory.*/.../"

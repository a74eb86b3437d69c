ubiheap tiny-before.fxsnapshot summary
ubiheap info tiny-before.fxsnapshot diff
ubiheap tiny-before.fxsnapshot show 5

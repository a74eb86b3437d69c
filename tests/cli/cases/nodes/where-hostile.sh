ubiheap nodes -w 'displayName contains "\u{1b}" or name == "-"' -c id,displayName hostile.fxsnapshot

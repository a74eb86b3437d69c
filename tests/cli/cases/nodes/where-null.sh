ubiheap nodes -w 'dominator == null' -n 3 -s id -c id,retainedSize,dominator,dominatorOrdinal,distance unreachable.fxsnapshot

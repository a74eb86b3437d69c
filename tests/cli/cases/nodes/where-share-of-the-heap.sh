ubiheap nodes -w 'retainedSize >= 10%' -s retainedSize -c id,displayName,rawSize,retainedSize,dominator,dominatorOrdinal tiny-before.fxsnapshot

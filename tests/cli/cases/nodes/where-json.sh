ubiheap nodes --json -w 'dominatorOrdinal == 0 and retainedSize > 2%' -c id,dominator,dominatorOrdinal,retainedSize tiny-before.fxsnapshot

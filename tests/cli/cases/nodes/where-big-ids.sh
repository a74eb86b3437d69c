ubiheap nodes -w 'id == 9223372036854775808 or id == 9007199254740993' -c id,rawSize big-ids.fxsnapshot

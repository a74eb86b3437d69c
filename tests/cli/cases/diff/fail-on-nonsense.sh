ubiheap diff --fail-on 'growth >' two.fxsnapshot two.fxsnapshot

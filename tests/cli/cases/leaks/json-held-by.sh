ubiheap leaks --json --allow-other-process two.fxsnapshot hostile.fxsnapshot | tr ',{' '\n\n' | grep -E '^"(holder|heldBy)"' | sort | uniq -c

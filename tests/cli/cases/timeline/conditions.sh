grep -v '"lost"' small.timeline > whole.timeline
ubiheap timeline --top 0 --rows 1 --fail-on 'longest(Javascript) > 50ms' whole.timeline | tail -n 1; echo $?
ubiheap timeline --format chrome --fail-on 'longest(Javascript) > 50*1000' whole.timeline > /dev/null; echo $?
ubiheap timeline --format chrome --fail-on 'total(render) >= 0.028s and count(render) == 2 and self(Script) < total(Script)' whole.timeline > /dev/null; echo $?
ubiheap timeline --format chrome --fail-on 'gc > 5%' whole.timeline > /dev/null; echo $?
ubiheap timeline --format chrome --fail-on 'gc > 10% or lost > 3 or count > 11 or total > 90%' whole.timeline > /dev/null; echo $?
ubiheap timeline --format chrome --fail-on 'longest > 90000001 ns and total(render) / count(render) < 14001us' whole.timeline > /dev/null; echo $?
ubiheap timeline --format chrome --fail-on 'longest(Javascrip) > 50ms' whole.timeline > /dev/null; echo $?
ubiheap timeline --format chrome -m Console whole.timeline > /dev/null; echo $?
ubiheap timeline --fail-on 'count > 5ms' whole.timeline; echo $?
ubiheap timeline --fail-on 'total > 5KiB' whole.timeline; echo $?

printf "sixteen bytes and more" >key
ubiheap convert --anonymize-key key chromium-alloc.heapsnapshot.gz out.heapsnapshot | sed "s/ (was [^)]*)//"
ubiheap convert -f jsonl out.heapsnapshot - | grep -E "\"name\":\"(Detached )?<(section|div)" | head -n 3 | cut -c1-220

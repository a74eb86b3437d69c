COLUMNS=120 LC_ALL=C ubiheap timeline --top 1 --stack-depth 1 small.timeline

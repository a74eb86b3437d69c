# What was typed is quoted in the message, made safe.
ubiheap "$(printf "\033[31mred")"

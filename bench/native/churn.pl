# SPDX-License-Identifier: MIT
# Much small memory, in the way of Perl programs: hashes of arrays of strings.
use strict;
use warnings;

my ($turns, $total) = ($ARGV[0], 0);
for my $turn (1 .. $turns) {
    my %found;
    for my $i (0 .. 4000) {
        my $text = "word " . ($i * 7919 % 1009) . " of turn $turn";
        push @{ $found{$_} }, { at => $i, word => $_ } for split / /, $text;
    }
    $total += scalar @{ $found{$_} } for keys %found;
}
print "$total\n";

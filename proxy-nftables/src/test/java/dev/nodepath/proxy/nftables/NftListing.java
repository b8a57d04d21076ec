package dev.nodepath.proxy.nftables;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A listing of {@code nft} in a form that can be compared: chains and sets in order of name, elements in order. */
final class NftListing {
    private static final Pattern BLOCK = Pattern.compile("\\t(?:chain|set|map) .*?\\n\\t}\\n", Pattern.DOTALL);
    private static final Pattern ELEMENTS = Pattern.compile("elements = \\{(.*?)}\\n", Pattern.DOTALL);

    private NftListing() {}

    static String comparable(String listing) {
        List<String> blocks = new ArrayList<>();
        Matcher matcher = BLOCK.matcher(listing);
        while (matcher.find()) {
            blocks.add(ELEMENTS.matcher(matcher.group())
                    .replaceAll(found -> Matcher.quoteReplacement("elements:\n" + sorted(found.group(1)) + "\n")));
        }
        String head = listing.substring(0, listing.indexOf("\n\t")).strip();
        String comment = listing.lines()
                .filter(line -> line.startsWith("\tcomment"))
                .findFirst()
                .orElse("");
        return head + comment + "\n"
                + String.join("\n", blocks.stream().sorted().toList());
    }

    private static String sorted(String elements) {
        return String.join(
                "\n",
                Stream.of(elements.split(",", -1)).map(String::strip).sorted().toList());
    }
}

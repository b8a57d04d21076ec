package dev.nodepath.report.form;

import static dev.nodepath.report.form.Html.format;

import dev.nodepath.report.ClusterMap;
import dev.nodepath.report.ClusterMap.Node;
import dev.nodepath.report.ClusterMap.Place;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A cluster as SVG: its nodes one below the other on a line for their network, each with its bridge and its pods. It
 * is as narrow as a phone.
 */
final class ClusterPicture {
    private static final int NODE_LEFT = 22;
    private static final int PADDING = 10;
    private static final int GAP = 8;
    private static final int TAG = 18;
    private static final int POD_HEIGHT = 42;
    private static final int STEM = 14;
    private static final int FOOT = 34;
    private static final int NODE_GAP = 14;
    private static final int TOP = 26;

    /** The width of bold letters, as a multiple of normal ones. */
    private static final double BOLD = 1.12;

    /** A longer name is cut, as the picture would otherwise be too small to read. */
    private static final int NAME_MAX = 28;

    private final ClusterMap cluster;
    private final int pod;
    private final StringBuilder svg = new StringBuilder();

    ClusterPicture(ClusterMap cluster) {
        this.cluster = cluster;
        this.pod = (int) Math.ceil(Stream.concat(
                        cluster.nodes().stream().flatMap(node -> node.pods().stream()), cluster.outside().stream())
                .mapToDouble(ClusterPicture::width)
                .max()
                .orElse(0));
    }

    private static double width(Place place) {
        double name = Math.max(BOLD * TextWidth.of(shown(place.name())), TextWidth.of(place.address()));
        return Math.max(name + 12, TextWidth.of(shown(place.asks())));
    }

    String render() {
        int width =
                NODE_LEFT + cluster.nodes().stream().mapToInt(this::width).max().orElse(0) + 1;
        int y = TOP;
        for (Node node : cluster.nodes()) {
            y = node(node, y) + NODE_GAP;
        }
        int last = y;
        for (Place place : cluster.outside()) {
            last = y + POD_HEIGHT / 2;
            y = outside(place, y) + NODE_GAP;
        }
        text("soft", 0, 12, "network of the nodes, " + cluster.network());
        svg.append(format("<path class=\"wire\" d=\"M6 18V%d\"/>%n", last));
        return format(
                        "<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\" data-marks=\"%d\">%n",
                        width, y - NODE_GAP + 2, Html.text(words()), stems())
                + svg + "</svg>\n";
    }

    private int width(Node node) {
        int pods = Math.max(1, node.pods().size());
        double foot = TextWidth.of(foot(node.bridge())) + TextWidth.of(foot(node.host())) + 2 * GAP;
        return 2 * PADDING + Math.max(pods * pod + (pods - 1) * GAP, (int) Math.ceil(foot));
    }

    private static String foot(Place place) {
        return shown(place.name()) + " " + place.address();
    }

    /** A name, cut to the available room. */
    private static String shown(String name) {
        return name.length() > NAME_MAX ? name.substring(0, NAME_MAX - 1) + "…" : name;
    }

    private int node(Node node, int top) {
        int width = width(node);
        int podTop = top + TAG + 4;
        int bridge = podTop + POD_HEIGHT + STEM;
        int bottom = bridge + FOOT;
        svg.append(format(
                "<rect class=\"node\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\"/>%n",
                NODE_LEFT, top, width, bottom - top));
        int x = NODE_LEFT + PADDING;
        for (Place each : node.pods()) {
            svg.append(
                    format("<path class=\"wire mark\" d=\"M%d %dV%d\"/>%n", x + pod / 2, podTop + POD_HEIGHT, bridge));
            place(each, x, podTop);
            text("middle asks", x + pod / 2.0, podTop - 7, shown(each.asks()));
            x += pod + GAP;
        }
        svg.append(format(
                "<path class=\"bridge\" d=\"M%d %dH%d\"/>%n",
                NODE_LEFT + PADDING, bridge, NODE_LEFT + width - PADDING));
        text("soft", NODE_LEFT + PADDING, bridge + 17, foot(node.bridge()));
        Place host = node.host();
        text("end", NODE_LEFT + width - PADDING, bridge + 17, foot(host));
        stub(bridge + 13);
        return bottom + asks(host, bottom);
    }

    /** A node that asks has the name of its path below it. */
    private int asks(Place host, int bottom) {
        if (host.asks().isEmpty()) {
            return 0;
        }
        text("asks", NODE_LEFT + PADDING, bottom + 15, shown(host.name()) + ": " + shown(host.asks()));
        return TAG;
    }

    private int outside(Place place, int top) {
        place(place, NODE_LEFT, top);
        text("asks", NODE_LEFT + pod + GAP, top + POD_HEIGHT / 2 + 4, shown(place.asks()));
        stub(top + POD_HEIGHT / 2);
        return top + POD_HEIGHT;
    }

    private void stub(int y) {
        svg.append(format("<path class=\"wire\" d=\"M6 %dH%d\"/>%n", y, NODE_LEFT));
    }

    private void place(Place place, int x, int y) {
        String type = place.answers() ? "pod answers" : place.asks().isEmpty() ? "pod" : "pod asking";
        svg.append(format(
                "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n",
                type, x, y, pod, POD_HEIGHT));
        text("middle name", x + pod / 2.0, y + 18, shown(place.name()));
        text("middle soft", x + pod / 2.0, y + 34, place.address());
    }

    private int stems() {
        return cluster.nodes().stream().mapToInt(node -> node.pods().size()).sum();
    }

    private String words() {
        return "The cluster on " + cluster.network() + ": "
                + cluster.nodes().stream()
                        .map(node -> node.host().name() + " with " + names(node.pods()))
                        .collect(Collectors.joining("; "))
                + (cluster.outside().isEmpty() ? "" : "; outside " + names(cluster.outside()));
    }

    private static String names(List<Place> places) {
        return places.stream()
                .map(place -> place.name()
                        + (place.asks().isEmpty() ? "" : " (asks)")
                        + (place.answers() ? " (answers)" : ""))
                .collect(Collectors.joining(", "));
    }

    private void text(String type, double x, int y, String content) {
        if (!content.isEmpty()) {
            svg.append(format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n", type, x, y, Html.text(content)));
        }
    }
}

package dev.nodepath.report;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The measured cluster, with the parts that a picture shows.
 *
 * @param network of the nodes, such as {@code 172.30.0.0/24}
 * @param nodes in the order they are drawn
 * @param outside the places beside the nodes on their network
 */
public record ClusterMap(String network, List<Node> nodes, List<Place> outside) {
    /** The limit of places; a larger cluster has no picture. */
    public static final int PLACES_MAX = 500;

    /**
     * A node.
     *
     * @param host itself, with its address on the network of the nodes
     * @param bridge of its pods, with the node's address on it
     * @param pods on that bridge
     */
    public record Node(Place host, Place bridge, List<Place> pods) {
        public Node {
            pods = List.copyOf(pods);
        }
    }

    /**
     * A place with an address.
     *
     * @param name such as {@code web-1}
     * @param address its address as a backend sees it
     * @param asks the name of the path that begins here; empty if none does
     * @param answers whether it is one of the backends
     */
    public record Place(String name, String address, String asks, boolean answers) {
        /** A place that neither asks nor answers. */
        public static Place of(String name, String address) {
            return new Place(name, address, "", false);
        }
    }

    public ClusterMap {
        nodes = List.copyOf(nodes);
        outside = List.copyOf(outside);
        int places = outside.size()
                + nodes.stream().mapToInt(node -> 2 + node.pods().size()).sum();
        if (places > PLACES_MAX) {
            throw new IllegalArgumentException("cluster: " + places + " places (expected: <= " + PLACES_MAX + ")");
        }
    }

    /**
     * The name of the place with an address; empty if there is none. A node's bridge has the node's name in its own.
     */
    public Optional<String> nameOf(String address) {
        Stream<Place> ofNodes = nodes.stream()
                .flatMap(node -> Stream.concat(
                        Stream.of(
                                node.host(),
                                Place.of(bridgeName(node), node.bridge().address())),
                        node.pods().stream()));
        return Stream.concat(ofNodes, outside.stream())
                .filter(place -> place.address().equals(address))
                .map(Place::name)
                .findFirst();
    }

    private static String bridgeName(Node node) {
        return node.bridge().name() + " of " + node.host().name();
    }
}

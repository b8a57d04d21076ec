package dev.nodepath.linux.nftables;

import dev.nodepath.linux.netlink.NetlinkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Writes elements of sets and maps ({@code NFTA_SET_ELEM_*}). The list in a message is an attribute, so it has at most
 * 65,535 bytes: many elements take several messages.
 */
final class NftElementMessages {
    /** A message of this length has room for one more element of any size in its list. */
    private static final int LIST_BYTES = 64_000;

    private static final int INTERVAL_END = 1;

    private NftElementMessages() {}

    /** Writes one element into a message. */
    private interface Writer<T> {
        void write(NetlinkRequest request, T element);
    }

    /** The messages that add elements. Each begins as the supplier makes it. */
    static List<NetlinkRequest> additions(Supplier<NetlinkRequest> header, List<NftElement> elements) {
        return divide(header, elements, (request, element) -> write(request, element, NftSetContent.Edge.FIRST));
    }

    /** The messages that add the elements of a set that keeps them to its end. */
    static List<NetlinkRequest> entries(Supplier<NetlinkRequest> header, List<NftSetContent.Entry> entries) {
        return divide(header, entries, (request, entry) -> write(request, entry.element(), entry.edge()));
    }

    /** The messages that remove elements. */
    static List<NetlinkRequest> removals(Supplier<NetlinkRequest> header, List<NftValue> keys) {
        return divide(header, keys, (request, key) -> write(request, NftElement.of(key), NftSetContent.Edge.FIRST));
    }

    private static <T> List<NetlinkRequest> divide(
            Supplier<NetlinkRequest> header, List<T> elements, Writer<T> writer) {
        List<NetlinkRequest> requests = new ArrayList<>(1);
        int next = 0;
        while (next < elements.size()) {
            NetlinkRequest request = header.get();
            int list = request.begin(NftMessages.ELEMENTS_LIST | NetlinkRequest.NESTED);
            while (next < elements.size() && request.length() < LIST_BYTES) {
                writer.write(request, elements.get(next++));
            }
            requests.add(request.end(list));
        }
        return requests;
    }

    private static void write(NetlinkRequest request, NftElement element, NftSetContent.Edge edge) {
        int nested = request.begin(NftMessages.LIST_ELEMENT | NetlinkRequest.NESTED);
        if (edge == NftSetContent.Edge.BEHIND) {
            NftMessages.number(request, NftMessages.ELEMENT_FLAGS, INTERVAL_END);
        }
        int key = request.begin(NftMessages.ELEMENT_KEY | NetlinkRequest.NESTED);
        request.attribute(NftMessages.DATA_VALUE, element.key().bytes()).end(key);
        element.data().ifPresent(data -> NftMessages.data(request, NftMessages.ELEMENT_DATA, data));
        if (edge == NftSetContent.Edge.FIRST_OF_THE_HIGHEST) {
            request.attribute(NftMessages.ELEMENT_USERDATA, NftUserData.openInterval());
        } else {
            NftUserData.comment(element.comment())
                    .ifPresent(comment -> request.attribute(NftMessages.ELEMENT_USERDATA, comment));
        }
        request.end(nested);
    }
}

package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.Fields;
import dev.nodepath.endpoints.source.ServiceLabels;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A kind of objects to list and watch, and its converter.
 *
 * @param name such as {@code Service}
 * @param path the path of the collection
 * @param selector a query that selects objects; empty for all
 * @param metadataOnly whether to request only metadata; a server that cannot do that sends whole objects
 * @param unread fields that the converter does not read
 * @param converter makes the records of an object
 */
public record ResourceKind<R>(
        String name, String path, String selector, boolean metadataOnly, UnreadFields unread, Converter<R> converter) {
    private static final UnreadFields MANAGED = UnreadFields.of(List.of("metadata.managedFields"));

    private static final String METADATA = ";as=PartialObjectMetadata%s;g=meta.k8s.io;v=v1,";

    /** A kind with whole objects. */
    public ResourceKind(String name, String path, String selector, Converter<R> converter) {
        this(name, path, selector, false, converter);
    }

    /** A kind whose managed fields are not read. */
    public ResourceKind(String name, String path, String selector, boolean metadataOnly, Converter<R> converter) {
        this(name, path, selector, metadataOnly, MANAGED, converter);
    }

    /** Converts an object into records. */
    public interface Converter<R> {
        /** The records of an object. Unusable parts are left out and added to its problems. */
        List<R> convert(NamespacedName name, Fields object);
    }

    /**
     * A selector of the Services and endpoints of a proxy, as in kube-proxy.
     *
     * @param proxyName the proxy's own name; empty for the default proxy
     */
    static String serviceSelector(String proxyName) {
        return "labelSelector="
                + encode("!" + ServiceLabels.HEADLESS + ","
                        + (proxyName.isEmpty()
                                ? "!" + ServiceLabels.PROXY_NAME
                                : ServiceLabels.PROXY_NAME + "=" + proxyName));
    }

    /** A selector of one object by its name. */
    static String nameSelector(String name) {
        return "fieldSelector=" + encode("metadata.name=" + name);
    }

    /** The Accept header of a list or watch. */
    String accept(boolean watch) {
        return metadataOnly
                ? ApiClient.JSON_TYPE + METADATA.formatted(watch ? "" : "List") + ApiClient.JSON_TYPE
                : ApiClient.JSON_TYPE;
    }

    /** The path and query of a list or watch, with further parameters or none. */
    String query(String parameters) {
        String joint = selector.isEmpty() || parameters.isEmpty() ? "" : "&";
        return path + "?" + selector + joint + parameters;
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}

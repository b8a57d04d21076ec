package dev.nodepath.endpoints.source.kubernetes;

import dev.nodepath.endpoints.NamespacedName;
import dev.nodepath.endpoints.source.kubernetes.client.ApiClient;
import dev.nodepath.endpoints.source.objects.Fields;
import dev.nodepath.endpoints.source.objects.ServiceLabels;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A kind of objects to list and watch, and what becomes of them.
 *
 * @param name such as {@code Service}
 * @param path where the server has them all
 * @param selector a query that leaves out the ones of no interest; empty for all
 * @param metadataOnly whether their metadata is enough; a server that cannot leave the rest out sends all
 * @param converter makes records of one
 */
record ResourceKind<R>(String name, String path, String selector, boolean metadataOnly, Converter<R> converter) {
    private static final String METADATA = ";as=PartialObjectMetadata%s;g=meta.k8s.io;v=v1,";

    /** A kind of which whole objects are of interest. */
    ResourceKind(String name, String path, String selector, Converter<R> converter) {
        this(name, path, selector, false, converter);
    }

    /** From one object to records. */
    interface Converter<R> {
        /** The records of a usable object; what of it cannot be used goes to its problems and is left out. */
        List<R> convert(NamespacedName name, Fields object);
    }

    /**
     * The Services and endpoints that are a proxy's work, as kube-proxy selects them.
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

    /** One object by its name. */
    static String nameSelector(String name) {
        return "fieldSelector=" + encode("metadata.name=" + name);
    }

    /** What to accept as the answer to a list, or to a watch. */
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

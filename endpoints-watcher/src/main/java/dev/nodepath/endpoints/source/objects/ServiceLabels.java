package dev.nodepath.endpoints.source.objects;

/** Labels of Services and EndpointSlices that are not for every proxy. */
public final class ServiceLabels {
    /** Names the proxy whose work the Service is; without it, it is the default proxy's. */
    public static final String PROXY_NAME = "service.kubernetes.io/service-proxy-name";

    /** On a Service without cluster IP, and on its slices: no proxy's work. */
    public static final String HEADLESS = "service.kubernetes.io/headless";

    private ServiceLabels() {}
}

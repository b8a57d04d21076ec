package dev.nodepath.endpoints.source;

/** The labels that decide whether a Service or EndpointSlice is for this proxy. */
public final class ServiceLabels {
    /** The name of the proxy that serves the Service. Without it, the default proxy does. */
    public static final String PROXY_NAME = "service.kubernetes.io/service-proxy-name";

    /** Marks a Service without cluster IP, and its slices. No proxy serves it. */
    public static final String HEADLESS = "service.kubernetes.io/headless";

    private ServiceLabels() {}
}

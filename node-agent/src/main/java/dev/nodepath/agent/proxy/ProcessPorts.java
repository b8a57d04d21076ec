package dev.nodepath.agent.proxy;

import dev.nodepath.agent.http.HttpPorts;
import dev.nodepath.agent.http.PathHandler;
import dev.nodepath.agent.http.StatusPorts;
import dev.nodepath.agent.options.ProxySettings;
import java.io.IOException;

/** The process's own two ports, which have kube-proxy's defaults. */
public final class ProcessPorts implements AutoCloseable {
    private final ProxySettings settings;
    private final HttpPorts http = new HttpPorts();
    private final StatusPorts ports = new StatusPorts(http);

    /** Serves nothing yet. */
    public ProcessPorts(ProxySettings settings) {
        this.settings = settings;
    }

    /** Opens the configured ports. */
    public void serve(PathHandler health, PathHandler metrics) throws IOException {
        if (settings.healthz().isPresent()) {
            ports.serve("healthz", settings.healthz().get(), health, settings.bindHardFail());
        }
        if (settings.metrics().isPresent()) {
            ports.serve("metrics", settings.metrics().get(), metrics, settings.bindHardFail());
        }
    }

    @Override
    public void close() {
        ports.close();
        http.close();
    }
}

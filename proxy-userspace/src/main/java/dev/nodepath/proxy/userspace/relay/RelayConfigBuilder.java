package dev.nodepath.proxy.userspace.relay;

import dev.nodepath.endpoints.NodePortAddresses;
import dev.nodepath.linux.address.Cidr;
import dev.nodepath.linux.address.IpAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Builds a {@link RelayConfig}, which describes the values. Not thread-safe. */
public final class RelayConfigBuilder {
    private IpAddress bindAddress;
    private Optional<PortRange> portRange;
    private int eventLoops;
    private boolean usesIoUring;
    private Balancer balancer;
    private ConnectionPolicy policy;
    private List<Duration> dialTimeouts;
    private Duration halfCloseLinger;
    private int connectionsMax;
    private long waitingBytesMax;
    private Duration udpTimeout;
    private int flowsMax;
    private Optional<Duration> drainRemovedEndpoints;
    private Duration drainTimeout;
    private List<Cidr> clusterCidrs;
    private boolean podsOfNodes;
    private NodePortAddresses nodePorts;
    private boolean keepsClientAddress;
    private boolean accessLog;

    RelayConfigBuilder(RelayConfig config) {
        bindAddress = config.bindAddress();
        portRange = config.portRange();
        eventLoops = config.eventLoops();
        usesIoUring = config.usesIoUring();
        balancer = config.balancer();
        policy = config.policy();
        dialTimeouts = config.dialTimeouts();
        halfCloseLinger = config.halfCloseLinger();
        connectionsMax = config.connectionsMax();
        waitingBytesMax = config.waitingBytesMax();
        udpTimeout = config.udpTimeout();
        flowsMax = config.flowsMax();
        drainRemovedEndpoints = config.drainRemovedEndpoints();
        drainTimeout = config.drainTimeout();
        clusterCidrs = config.clusterCidrs();
        podsOfNodes = config.podsOfNodes();
        nodePorts = config.nodePorts();
        keepsClientAddress = config.keepsClientAddress();
        accessLog = config.accessLog();
    }

    /** Sets {@link RelayConfig#bindAddress}. */
    public RelayConfigBuilder bindAddress(IpAddress value) {
        bindAddress = value;
        return this;
    }

    /** Sets {@link RelayConfig#portRange}. */
    public RelayConfigBuilder portRange(Optional<PortRange> value) {
        portRange = value;
        return this;
    }

    /** Sets {@link RelayConfig#eventLoops}. */
    public RelayConfigBuilder eventLoops(int value) {
        eventLoops = value;
        return this;
    }

    /** Sets {@link RelayConfig#usesIoUring}. */
    public RelayConfigBuilder usesIoUring(boolean value) {
        usesIoUring = value;
        return this;
    }

    /** Sets {@link RelayConfig#balancer}. */
    public RelayConfigBuilder balancer(Balancer value) {
        balancer = value;
        return this;
    }

    /** Sets {@link RelayConfig#policy}. */
    public RelayConfigBuilder policy(ConnectionPolicy value) {
        policy = value;
        return this;
    }

    /** Sets {@link RelayConfig#dialTimeouts}. */
    public RelayConfigBuilder dialTimeouts(List<Duration> value) {
        dialTimeouts = value;
        return this;
    }

    /** Sets {@link RelayConfig#halfCloseLinger}. */
    public RelayConfigBuilder halfCloseLinger(Duration value) {
        halfCloseLinger = value;
        return this;
    }

    /** Sets {@link RelayConfig#connectionsMax}. */
    public RelayConfigBuilder connectionsMax(int value) {
        connectionsMax = value;
        return this;
    }

    /** Sets {@link RelayConfig#waitingBytesMax}. */
    public RelayConfigBuilder waitingBytesMax(long value) {
        waitingBytesMax = value;
        return this;
    }

    /** Sets {@link RelayConfig#udpTimeout}. */
    public RelayConfigBuilder udpTimeout(Duration value) {
        udpTimeout = value;
        return this;
    }

    /** Sets {@link RelayConfig#flowsMax}. */
    public RelayConfigBuilder flowsMax(int value) {
        flowsMax = value;
        return this;
    }

    /** Sets {@link RelayConfig#drainRemovedEndpoints}. */
    public RelayConfigBuilder drainRemovedEndpoints(Optional<Duration> value) {
        drainRemovedEndpoints = value;
        return this;
    }

    /** Sets {@link RelayConfig#drainTimeout}. */
    public RelayConfigBuilder drainTimeout(Duration value) {
        drainTimeout = value;
        return this;
    }

    /** Sets {@link RelayConfig#podsOfNodes}. */
    public RelayConfigBuilder podsOfNodes(boolean value) {
        podsOfNodes = value;
        return this;
    }

    /** Sets {@link RelayConfig#clusterCidrs}. */
    public RelayConfigBuilder clusterCidrs(List<Cidr> value) {
        clusterCidrs = value;
        return this;
    }

    /** Sets {@link RelayConfig#nodePorts}. */
    public RelayConfigBuilder nodePorts(NodePortAddresses value) {
        nodePorts = value;
        return this;
    }

    /** Sets {@link RelayConfig#keepsClientAddress}. */
    public RelayConfigBuilder keepsClientAddress(boolean value) {
        keepsClientAddress = value;
        return this;
    }

    /** Sets {@link RelayConfig#accessLog}. */
    public RelayConfigBuilder accessLog(boolean value) {
        accessLog = value;
        return this;
    }

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException if a value is out of bounds; the message names it
     */
    public RelayConfig build() {
        return new RelayConfig(
                bindAddress,
                portRange,
                eventLoops,
                usesIoUring,
                balancer,
                policy,
                dialTimeouts,
                halfCloseLinger,
                connectionsMax,
                waitingBytesMax,
                udpTimeout,
                flowsMax,
                drainRemovedEndpoints,
                drainTimeout,
                clusterCidrs,
                podsOfNodes,
                nodePorts,
                keepsClientAddress,
                accessLog);
    }
}

package peers;

import kieker.common.configuration.Configuration;
import kieker.common.record.IMonitoringRecord;
import kieker.common.record.controlflow.OperationExecutionRecord;
import kieker.monitoring.writer.AbstractMonitoringWriter;

/** Takes the records of Kieker from its queue and counts them: less work than any writer that keeps them. */
public final class KiekerWriter extends AbstractMonitoringWriter {
    private long calls;

    /** Kieker makes writers by their names. */
    public KiekerWriter(Configuration configuration) {
        super(configuration);
    }

    @Override
    public void onStarting() {}

    @Override
    public void writeMonitoringRecord(IMonitoringRecord record) {
        // Kieker writes about itself too.
        if (record instanceof OperationExecutionRecord) {
            calls++;
        }
    }

    @Override
    public void onTerminating() {
        Received.write(calls);
    }
}
